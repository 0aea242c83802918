import { localPorts } from '#shared/manifest/ports.ts'

/** Returns the text of `npm run dev -- --help`. */
export function help(functions: number): string {
  return `npm run dev [-- --reset] [-- --verbose]

Runs the platform on this machine, without an AWS account or Docker: ${functions} functions, a
database, queues, containers (agents are processes), schedules, mail, and a stand-in model and
checkout. Functions are bundled at their first call, the rest in the background.

  --reset      delete all state first
  --verbose    show every log line, not only warnings and errors
  --help       show this help

Everything listens on 127.0.0.1 only:

  WEB_PORT          ${localPorts.web}   web: the API for browsers, and the console
  BACKEND_PORT      ${localPorts.backend}   backend: the API for trusted callers and agents
  SUMMARIZER_PORT   ${localPorts.summarizer}   summarizer
  AGENTS_PORT       ${localPorts.agents}   <subdomain>.agents.localhost, the host of each agent
  PAYMENTS_PORT     ${localPorts.payments}   the stand-in checkout, where no money moves
  EMAIL_IN_PORT     ${localPorts.mail}   mails to agents, by SMTP
  QUEUE_PORT        none   the queues, for SDK clients with AWS_ENDPOINT_URL_SQS

Settings are environment variables. The most important ones, with their defaults:

  DATA_DIR             .data     all state: database, queues, agents' workspaces, mails in outbox/,
                                 logs/functions.log, and secrets.json with INTERNAL_API_KEY
  AI_BASE_URL          none      a real model provider: any OpenAI-compatible /v1
  AI_API_KEY           none      the key for it; without these two, a stand-in model answers
  PAYMENTS_SECRET_KEY  none      a real payment provider, with PAYMENTS_WEBHOOK_SECRET
  PAYMENTS             on        off: no stand-in checkout either
  ADMIN_EMAILS         none      administrators, once they have verified their email address
  AGENT_RUNTIME        embedded  or openclaw, which is downloaded once (650 MB)
  RATE_LIMITS          on        off: for load tests

For example, to run a second platform beside the first:

  DATA_DIR=.data-2 WEB_PORT=0 BACKEND_PORT=0 SUMMARIZER_PORT=0 AGENTS_PORT=0 npm run dev

README.md has a tour; docs/reference/configuration.md has all settings.`
}
