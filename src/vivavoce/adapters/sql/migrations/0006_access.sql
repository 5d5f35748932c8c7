create table access (
    id text primary key,
    created_at text not null,
    agent_id text not null references agents (id) on delete cascade,
    kind text not null,
    who text not null,
    document text not null,
    unique (agent_id, kind, who)
);

create index access_by_who on access (who);
