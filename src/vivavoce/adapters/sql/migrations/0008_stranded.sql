alter table turns add column stranded boolean not null default false;

drop index turns_failed;

create index turns_failed on turns (created_at, id) where state = 'failed' or stranded;
