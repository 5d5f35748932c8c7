create table usage_parts (
    agent_id text not null references agents (id) on delete cascade,
    month text not null,
    part integer not null,
    turns integer not null,
    prompt_tokens integer not null,
    completion_tokens integer not null,
    cost real not null,
    primary key (agent_id, month, part)
);

insert into usage_parts
select agent_id, month, 0, turns, prompt_tokens, completion_tokens, cost from usage;

drop table usage;

alter table usage_parts rename to usage;

create table avatar_usage_parts (
    avatar_id text not null references avatars (id) on delete cascade,
    month text not null,
    part integer not null,
    turns integer not null,
    prompt_tokens integer not null,
    completion_tokens integer not null,
    cost real not null,
    primary key (avatar_id, month, part)
);

insert into avatar_usage_parts
select avatar_id, month, 0, turns, prompt_tokens, completion_tokens, cost from avatar_usage;

drop table avatar_usage;

alter table avatar_usage_parts rename to avatar_usage;
