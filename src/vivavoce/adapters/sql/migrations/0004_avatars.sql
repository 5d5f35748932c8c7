create table avatars (
    id text primary key,
    created_at text not null,
    datastore_id text not null references datastores (id) on delete restrict,
    document text not null
);

create index avatars_by_age on avatars (created_at, id);

create index avatars_by_datastore on avatars (datastore_id);

create table answered (
    id text primary key,
    created_at text not null,
    avatar_id text not null references avatars (id) on delete cascade,
    document text not null
);

create index answered_by_avatar on answered (avatar_id, created_at, id);
