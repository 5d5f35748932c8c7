create table lanes (
    lane text primary key,
    due_at text not null,
    fence integer not null
);

create index lanes_by_due on lanes (due_at);

create table jobs (
    seq integer primary key autoincrement,
    key text not null unique,
    lane text not null,
    kind text not null,
    created_at text not null,
    due_at text not null,
    attempts integer not null,
    claims integer not null default 0,
    document text not null
);

create index jobs_by_lane on jobs (lane, seq);

create table accounts (
    id text primary key,
    created_at text not null,
    agent_id text not null references agents (id) on delete cascade,
    type text not null,
    document text not null,
    secrets blob
);

create index accounts_by_agent on accounts (agent_id);

create table arrivals (
    id text primary key,
    created_at text not null,
    account_id text not null references accounts (id) on delete cascade,
    event_id text not null,
    state text not null,
    document text not null,
    unique (account_id, event_id)
);

create index arrivals_by_state on arrivals (state, created_at);

create table deliveries (
    id text primary key,
    created_at text not null,
    kind text not null,
    state text not null,
    conversation_id text references conversations (id) on delete cascade,
    agent_id text references agents (id) on delete cascade,
    message_id text,
    step_id text,
    account_id text,
    external_id text,
    document text not null
);

create index deliveries_by_external_id on deliveries (external_id) where external_id is not null;

create index deliveries_by_state on deliveries (state, created_at);

create index deliveries_by_conversation on deliveries (conversation_id, created_at);

create index deliveries_by_message on deliveries (message_id);

create index deliveries_by_agent on deliveries (agent_id, created_at);

create index deliveries_by_time on deliveries (created_at, id);

create table endpoints (
    id text primary key,
    created_at text not null,
    agent_id text references agents (id) on delete cascade,
    step_id text references steps (id) on delete cascade,
    document text not null
);

create index endpoints_by_agent on endpoints (agent_id);

create index endpoints_by_step on endpoints (step_id);

create table follow_ups (
    id text primary key,
    created_at text not null,
    conversation_id text not null references conversations (id) on delete cascade,
    tag text not null,
    state text not null,
    document text not null
);

create index follow_ups_by_conversation on follow_ups (conversation_id, tag);

create unique index follow_ups_planned on follow_ups (conversation_id, tag) where state = 'planned';

create table crm_logs (
    id text primary key,
    created_at text not null,
    conversation_id text not null references conversations (id) on delete cascade,
    scenario_id text not null references scenarios (id) on delete cascade,
    step_id text not null references steps (id) on delete cascade,
    status text not null,
    document text not null
);

create index crm_logs_by_conversation on crm_logs (conversation_id, created_at);

create unique index crm_logs_active on crm_logs (conversation_id) where status = 'active';

create index crm_logs_by_step on crm_logs (step_id, status);

create index crm_logs_by_scenario on crm_logs (scenario_id, status);

alter table turns add column durable boolean not null default false;

drop index turns_open;

create index turns_open on turns (lease_until) where state in ('waiting', 'running') and not durable;

create index turns_failed on turns (created_at, id) where state = 'failed' and durable;

alter table conversations add column channel_credentials_id text;

create index conversations_by_chat on conversations (channel_external_id, channel_credentials_id);

create index conversations_by_assignee on conversations (assignee, status);

create table imported (
    id text primary key,
    created_at text not null,
    kind text not null,
    document text not null
);

create index imported_by_kind on imported (kind);
