create index contacts_email on contacts (upper(coalesce(email, '')));
