create table contacts (
    id text primary key,
    created_at text not null,
    email text unique,
    phone_number text unique,
    external_id text unique,
    document text not null
);

create index contacts_by_age on contacts (created_at, id);

create table conversations (
    id text primary key,
    created_at text not null,
    agent_id text references agents (id) on delete cascade,
    contact_id text references contacts (id) on delete set null,
    channel text not null,
    status text not null,
    priority text not null,
    assignee text,
    is_ai_enabled boolean not null,
    visitor_id text,
    channel_external_id text,
    document text not null
);

create index conversations_by_age on conversations (created_at, id);

create index conversations_by_agent on conversations (agent_id, created_at, id);

create index conversations_by_contact on conversations (contact_id);

create table messages (
    id text primary key,
    created_at text not null,
    conversation_id text not null references conversations (id) on delete cascade,
    position integer not null,
    document text not null,
    unique (conversation_id, position)
);

create table turns (
    id text primary key,
    created_at text not null,
    conversation_id text not null references conversations (id) on delete cascade,
    message_id text not null,
    position integer not null,
    state text not null,
    lease_until text,
    fence integer not null,
    answer_id text,
    document text not null
);

create index turns_by_conversation on turns (conversation_id, position);

create index turns_by_message on turns (message_id);

create index turns_by_answer on turns (answer_id);

create index turns_open on turns (lease_until) where state in ('waiting', 'running');

create index turns_in_line on turns (conversation_id, position) where state in ('waiting', 'running');

create table approvals (
    id text primary key,
    created_at text not null,
    conversation_id text not null references conversations (id) on delete cascade,
    turn_id text not null references turns (id) on delete cascade,
    state text not null,
    document text not null
);

create index approvals_by_state on approvals (state, created_at);

create index approvals_by_conversation on approvals (conversation_id);

create index approvals_by_turn on approvals (turn_id);

create table notes (
    id text primary key,
    created_at text not null,
    conversation_id text not null references conversations (id) on delete cascade,
    document text not null
);

create index notes_by_conversation on notes (conversation_id, created_at);

create table tags (
    id text primary key,
    created_at text not null,
    name text not null unique,
    document text not null
);

create table events (
    id text primary key,
    created_at text not null,
    type text not null,
    conversation_id text not null references conversations (id) on delete cascade,
    document text not null
);

create index events_by_age on events (created_at, id);

create index events_by_conversation on events (conversation_id, created_at);

create table usage (
    agent_id text not null references agents (id) on delete cascade,
    month text not null,
    turns integer not null,
    prompt_tokens integer not null,
    completion_tokens integer not null,
    cost real not null,
    primary key (agent_id, month)
);

create table providers (
    id text primary key,
    created_at text not null,
    name text not null unique,
    document text not null,
    secrets blob
);
