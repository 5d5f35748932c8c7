"""The store on a relational database: tables, rows, transactions and migrations."""
