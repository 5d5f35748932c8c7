create table documents (
    id text primary key,
    datasource_id text not null references datasources (id) on delete cascade,
    datastore_id text not null,
    created_at text not null,
    version integer not null,
    state text not null,
    hash text not null,
    characters integer not null,
    language text not null,
    outline text not null,
    unique (datasource_id, version)
);

create index documents_by_datasource on documents (datasource_id, state);

create index documents_by_language on documents (datastore_id, state, language);

create index datasources_by_group on datasources (group_id);

create table parts (
    document_id text not null references documents (id) on delete cascade,
    start integer not null,
    length integer not null,
    text text not null,
    primary key (document_id, start)
);

create table passages (
    id integer primary key autoincrement,
    document_id text not null references documents (id) on delete cascade,
    datasource_id text not null,
    datastore_id text not null,
    position integer not null,
    start integer not null,
    "end" integer not null,
    hash text not null,
    document text not null,
    unique (document_id, position)
);

create index passages_by_datastore on passages (datastore_id, id);

create index passages_by_hash on passages (hash);

create table vectors (
    embedder text not null,
    hash text not null,
    vector blob not null,
    primary key (embedder, hash)
);

create index vectors_by_hash on vectors (hash);

create table uploads (
    datasource_id text not null references datasources (id) on delete cascade,
    position integer not null,
    chunk blob not null,
    primary key (datasource_id, position)
);

create table ingestions (
    datasource_id text primary key references datasources (id) on delete cascade,
    datastore_id text not null,
    step text not null,
    created_at text not null,
    due_at text not null,
    lease_until text,
    fence integer not null,
    attempts integer not null
);

create index ingestions_by_due on ingestions (due_at);

create table collections (
    name text primary key,
    datastore_id text not null,
    embedder text not null,
    dimension integer not null,
    serves boolean not null,
    filled_to integer not null,
    generation integer not null
);

create index collections_by_datastore on collections (datastore_id);

create table gone (
    collection text not null references collections (name) on delete cascade,
    passage_id integer not null,
    primary key (collection, passage_id)
);

create table calibrations (
    embedder text primary key,
    document text not null
);

-- only sqlite
update texts set text = coalesce((
    select trim(json_extract(s.document, '$.config.question'), char(9, 10, 13, 32)) || char(10, 10)
        || trim(json_extract(s.document, '$.config.answer'), char(9, 10, 13, 32))
    from datasources s where s.id = texts.datasource_id
), text)
where datasource_id in (select id from datasources where type = 'qa');

-- only sqlite
insert into documents
select
    s.id || '-1', s.id, s.datastore_id, s.created_at, 1, 'current', '', length(t.text), '', '{}'
from datasources s join texts t on t.datasource_id = s.id
where t.text <> '';

-- only sqlite
insert into parts
with recursive cut (document_id, start, rest) as (
    select t.datasource_id || '-1', 0, t.text from texts t where t.text <> ''
    union all
    select document_id, start + 32768, substr(rest, 32769) from cut where length(rest) > 32768
)
select document_id, start, length(substr(rest, 1, 32768)), substr(rest, 1, 32768) from cut;

-- only sqlite
insert into ingestions
select s.id, s.datastore_id, case when s.type in ('web_page', 'web_site') then 'read' else 'split' end,
    s.created_at, s.created_at, null, 0, 0
from datasources s;

drop table texts;
