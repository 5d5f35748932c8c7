create index contacts_phone_number on contacts ((replace(replace(replace(replace(replace(replace(phone_number, '+', ''), ' ', ''), '-', ''), '(', ''), ')', ''), '.', '')));
