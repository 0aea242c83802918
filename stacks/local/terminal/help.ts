import { localPorts } from '../../../shared/manifest/ports.ts'

/** What `npm run dev -- --help` says. */
export function help(functions: number): string {
  return `npm run dev [-- --reset] [-- --verbose]

Starts the platform on this machine, with no AWS account and no Docker: ${functions} functions behind
their addresses, database, queues, containers (agents are processes), schedules, mail, and a
stand-in model and checkout. The first start bundles the functions, which takes some seconds.

  --reset      removes all state first
  --verbose    shows every log line; without it warnings and errors
  --help       this

Everything listens on 127.0.0.1 alone:

  WEB_PORT          ${localPorts.web}   web: what people's browsers call
  BACKEND_PORT      ${localPorts.backend}   backend: what trusted callers and agents call
  SUMMARIZER_PORT   ${localPorts.summarizer}   summarizer
  AGENTS_PORT       ${localPorts.agents}   <subdomain>.agents.localhost, each agent's own host
  PAYMENTS_PORT     ${localPorts.payments}   the stand-in checkout, where no money moves

Settings are variables of the environment; those that matter first:

  DATA_DIR          .data  all state: database, queues, agents' workspaces, mails in outbox/,
                           logs/functions.log, and secrets.json with INTERNAL_API_KEY
  AI_BASE_URL              a real model provider, any OpenAI-compatible /v1, with
  AI_API_KEY               its key; without them the stand-in answers
  PAYMENTS_SECRET_KEY      a real payment provider, with PAYMENTS_WEBHOOK_SECRET
  PAYMENTS              on off for no stand-in checkout either
  ADMIN_EMAILS             who administers, once the address is verified
  AGENT_RUNTIME   embedded or openclaw, which is fetched once (650 MB)
  RATE_LIMITS           on off for load tests

For instance, beside a platform that runs already:

  DATA_DIR=.data-2 WEB_PORT=0 BACKEND_PORT=0 SUMMARIZER_PORT=0 AGENTS_PORT=0 npm run dev

README.md has a tour, and all settings under Configuration.`
}
