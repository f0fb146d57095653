# The gateway on embedded defaults. Two stages: the first builds the environment from the lock file,
# the second runs it as a user without rights on a file system that may be read-only.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN python -m venv /opt/memguard \
 && /opt/memguard/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.lock
COPY gateway gateway
COPY storage storage
COPY guard guard
COPY memory memory
COPY policies policies
RUN /opt/memguard/bin/python -m pip install --no-cache-dir --no-deps . \
 && /opt/memguard/bin/memguard models prepare --data-dir /opt/memguard/share

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --home-dir /data memguard \
 && install -d -o memguard -g memguard -m 0700 /data
COPY --from=build /opt/memguard /opt/memguard
ENV PATH=/opt/memguard/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER memguard
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/healthz', timeout=2)"]
ENTRYPOINT ["memguard"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080", "--data-dir", "/data"]
