-- Run once by the image, on an empty data directory: two databases, the role that owns the tables,
-- and the role that gateways connect as. `memguard migrate` makes the tables and grants the rest.
\set ON_ERROR_STOP on
\set owner_password `cat "${SECRETS:-/run/secrets}/owner-password"`
\set gateway_password `cat "${SECRETS:-/run/secrets}/gateway-password"`

CREATE ROLE memguard_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS
    PASSWORD :'owner_password';
CREATE ROLE memguard_gateway LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS
    PASSWORD :'gateway_password';

CREATE DATABASE memguard_ledger OWNER memguard_owner ENCODING 'UTF8' TEMPLATE template0;
CREATE DATABASE memguard_keys OWNER memguard_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE memguard_ledger, memguard_keys FROM PUBLIC;
GRANT CONNECT ON DATABASE memguard_ledger, memguard_keys TO memguard_gateway;
