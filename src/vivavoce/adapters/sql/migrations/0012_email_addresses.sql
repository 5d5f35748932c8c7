create index contacts_email on contacts (lower(coalesce(email, '')));
