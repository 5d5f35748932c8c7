alter table lanes add column kind text not null default '';

update lanes set kind = coalesce(
    (select kind from jobs where jobs.lane = lanes.lane order by seq limit 1), ''
);

create index lanes_by_kind on lanes (kind, due_at);
