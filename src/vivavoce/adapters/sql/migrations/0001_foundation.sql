create table workspace (
    name text primary key,
    value text not null
);

create table agents (
    id text primary key,
    created_at text not null,
    handle text unique,
    hidden boolean not null,
    document text not null,
    secrets blob
);

create index agents_by_age on agents (created_at, id);

create table datastores (
    id text primary key,
    created_at text not null,
    document text not null
);

create index datastores_by_age on datastores (created_at, id);

create table tools (
    id text primary key,
    created_at text not null,
    agent_id text not null references agents (id) on delete cascade,
    datastore_id text references datastores (id) on delete cascade,
    position integer not null,
    document text not null,
    secrets blob
);

create index tools_by_agent on tools (agent_id, position);

create index tools_by_datastore on tools (datastore_id);

create table integrations (
    id text primary key,
    created_at text not null,
    agent_id text not null references agents (id) on delete cascade,
    type text not null,
    document text not null,
    unique (agent_id, type)
);

create table scenarios (
    id text primary key,
    created_at text not null,
    document text not null
);

create index scenarios_by_age on scenarios (created_at, id);

create table steps (
    id text primary key,
    created_at text not null,
    scenario_id text not null references scenarios (id) on delete cascade,
    agent_id text references agents (id) on delete set null,
    auto_next_step_id text references steps (id) on delete set null,
    "index" integer not null,
    document text not null,
    secrets blob
);

create index steps_by_scenario on steps (scenario_id, "index");

create index steps_by_agent on steps (agent_id);

create index steps_by_next on steps (auto_next_step_id);

create table datasources (
    id text primary key,
    created_at text not null,
    datastore_id text not null references datastores (id) on delete cascade,
    name text not null,
    type text not null,
    status text not null,
    group_id text,
    document text not null,
    secrets blob
);

create index datasources_by_datastore on datasources (datastore_id, created_at, id);

create table texts (
    datasource_id text primary key references datasources (id) on delete cascade,
    text text not null
);

create table keys (
    id text primary key,
    created_at text not null,
    digest text not null unique,
    document text not null
);
