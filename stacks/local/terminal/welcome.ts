import { relative } from 'node:path'
import { surfaces } from '../../../shared/manifest/index.ts'
import { incomplete } from '../settings/incomplete.ts'
import type { StackSettings } from '../settings/settings.ts'
import type { Stack } from '../stack.ts'

const json = "-H 'content-type: application/json'"

interface Started {
  stack: Stack
  settings: StackSettings
  seconds: string
}

/** What a newcomer reads when everything runs: where things are and how to try them. */
export function welcome({ stack, settings, seconds }: Started): string {
  const [web, backend, summarizer] = surfaces.map((surface) =>
    stack.urls[surface].replace('127.0.0.1', 'localhost'),
  )
  const path = (file: string) => {
    const short = relative(process.cwd(), file)
    return short.startsWith('..') ? file : short || '.'
  }
  const given = settings.values['INTERNAL_API_KEY'] !== undefined
  const key = given
    ? '$INTERNAL_API_KEY'
    : `$(node -p 'JSON.parse(fs.readFileSync("${path(stack.secretsFile)}")).INTERNAL_API_KEY')`
  return `
Ready in ${seconds} s.

  console     ${web}    sign up, get a plan and an agent, and talk to it

  web         ${web}    every route: ${web}/docs
  backend     ${backend}    every route: ${backend}/docs
  summarizer  ${summarizer}    every route: ${summarizer}/docs
  agents      http://<subdomain>.${stack.agentsDomain}    each agent's own host, for its owner alone
  state       ${path(stack.dataDir)}    \`npm run dev -- --reset\` starts empty
  models      ${models(settings)}
  payments    ${payments(stack, settings)}
  mails       ${path(stack.dataDir)}/outbox    one JSON file each
  key         ${given ? 'INTERNAL_API_KEY of your environment' : `${path(stack.secretsFile)}    INTERNAL_API_KEY`}, the backend's bearer key
  log         ${path(stack.logFile)}    every request; warnings and errors also show here${notes(settings)}

The same from a terminal, from a new user to a chat with an agent, which runs about a second after its provisioning:

  curl ${web}/api/register ${json} -d '{"email":"ada@example.com","password":"correct horse","name":"Ada"}'
  curl ${web}/api/auth/login -c cookies.txt ${json} -d '{"email":"ada@example.com","password":"correct horse"}'
${plan(stack, { web, backend, key })}
  curl ${web}/api/agents/provision -b cookies.txt ${json} -d '{"name":"Rhythm"}'
  curl ${web}/api/agents -b cookies.txt
  curl ${web}/api/chat -b cookies.txt ${json} -d '{"message":"Hello, who are you?"}'

Ctrl-C stops everything.
`
}

/** Buys a plan where no money moves, else has the backend give one. */
function plan(
  { checkoutUrl }: Stack,
  { web, backend, key }: { web: string | undefined; backend: string | undefined; key: string },
): string {
  if (checkoutUrl === undefined)
    return `  curl ${backend}/api/subscriptions/deploy -H "authorization: Bearer ${key}" ${json} \\
    -d '{"email":"ada@example.com","plan":"solo","subscriptionId":"sub_1"}'`
  return `  PAGE=$(curl -s ${web}/api/billing -b cookies.txt ${json} -d '{"action":"create-checkout","plan":"solo"}' | grep -o 'http[^"]*')
  curl -X POST $PAGE/pay`
}

function models({ standIn, values }: StackSettings): string {
  if (!standIn) return 'the providers that AI_BASE_URL and AI_PROVIDERS name'
  if (values['AI_API_KEY'] !== undefined)
    return 'a stand-in, since AI_API_KEY is set without AI_BASE_URL'
  return 'a stand-in; AI_BASE_URL and AI_API_KEY name a real one'
}

function payments({ checkoutUrl }: Stack, { values }: StackSettings): string {
  if (checkoutUrl !== undefined)
    return `${checkoutUrl}    a stand-in checkout where no money moves; PAYMENTS_SECRET_KEY names a real provider`
  if (values['PAYMENTS_SECRET_KEY'] === undefined) return 'none, since PAYMENTS is off'
  return 'the provider whose key is PAYMENTS_SECRET_KEY'
}

function notes({ values }: StackSettings): string {
  return incomplete(values)
    .map((note) => `\n  note        ${note}`)
    .join('')
}
