create table avatar_usage (
    avatar_id text not null references avatars (id) on delete cascade,
    month text not null,
    turns integer not null,
    prompt_tokens integer not null,
    completion_tokens integer not null,
    cost real not null,
    primary key (avatar_id, month)
);
