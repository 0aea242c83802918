import { relative } from 'node:path'
import { surfaces } from '#shared/manifest/index.ts'
import { incomplete } from '../settings/incomplete.ts'
import type { StackSettings } from '../settings/settings.ts'
import type { Stack } from '../stack.ts'

const json = "-H 'content-type: application/json'"

interface Started {
  stack: Stack
  settings: StackSettings
  seconds: string
}

/** Returns the text that is printed when everything runs: where things are and how to try them. */
export function welcome({ stack, settings, seconds }: Started): string {
  const [web, backend, summarizer] = surfaces.map((surface) =>
    stack.urls[surface].replace('127.0.0.1', 'localhost'),
  )
  const path = (file: string) => {
    const short = relative(process.cwd(), file)
    return short.startsWith('..') ? file : short || '.'
  }
  const isOwnKey = settings.values['INTERNAL_API_KEY'] !== undefined
  const key = isOwnKey
    ? '$INTERNAL_API_KEY'
    : `$(node -p 'JSON.parse(fs.readFileSync("${path(stack.secretsFile)}")).INTERNAL_API_KEY')`
  return `
Ready in ${seconds} s.

  console     ${web}    sign up, get a plan and an agent, and talk to it

  web         ${web}    API reference: ${web}/docs
  backend     ${backend}    API reference: ${backend}/docs
  summarizer  ${summarizer}    API reference: ${summarizer}/docs
  agents      http://<subdomain>.${stack.agentsDomain}    the host of each agent, for its owner only
  state       ${path(stack.dataDir)}    \`npm run dev -- --reset\` deletes it and starts empty
  models      ${models(settings)}
  payments    ${payments(stack, settings)}
  mails       ${path(stack.dataDir)}/outbox    one JSON file per mail${mailIn(stack)}${queues(stack, settings, path)}
  key         ${isOwnKey ? 'INTERNAL_API_KEY of your environment' : `${path(stack.secretsFile)}    INTERNAL_API_KEY`}, the bearer key of the backend
  log         ${path(stack.logFile)}    every request; warnings and errors are also shown here${notes(settings)}

The same from a terminal: create a user, an agent and a first message. An agent is ready about a second after it is created.

  curl ${web}/api/register ${json} -d '{"email":"ada@example.com","password":"correct horse","name":"Ada"}'
  curl ${web}/api/auth/login -c cookies.txt ${json} -d '{"email":"ada@example.com","password":"correct horse"}'
${plan(stack, { web, backend, key })}
  curl ${web}/api/agents/provision -b cookies.txt ${json} -d '{"name":"Rhythm"}'
  curl ${web}/api/agents -b cookies.txt
  curl ${web}/api/chat -b cookies.txt ${json} -d '{"message":"Hello, who are you?"}'

Ctrl-C stops everything.
`
}

/** Returns the command for a plan: at the stand-in checkout, or else by the backend. */
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
  if (!standIn) return 'the providers in AI_BASE_URL and AI_PROVIDERS'
  if (values['AI_API_KEY'] !== undefined)
    return 'a stand-in, because AI_API_KEY is set without AI_BASE_URL'
  return 'a stand-in; set AI_BASE_URL and AI_API_KEY for a real one'
}

function payments({ checkoutUrl }: Stack, { values }: StackSettings): string {
  if (checkoutUrl !== undefined)
    return `${checkoutUrl}    a stand-in checkout where no money moves; set PAYMENTS_SECRET_KEY for a real provider`
  if (values['PAYMENTS_SECRET_KEY'] === undefined) return 'none, because PAYMENTS is off'
  return 'the provider of PAYMENTS_SECRET_KEY'
}

function mailIn({ mailPort }: Stack): string {
  return mailPort === undefined
    ? ''
    : `
  mail in     smtp://127.0.0.1:${mailPort}    mails to agents' email channels`
}

/** Returns the address of the queues, if it is one that can be configured in other programs. */
function queues(
  { endpoints, secretsFile }: Stack,
  { ports, engines, values }: StackSettings,
  path: (file: string) => string,
): string {
  if (ports.queues === 0 || engines.sqs !== undefined) return ''
  const key =
    values['LOCAL_ACCESS_KEY_ID'] === undefined
      ? `${path(secretsFile)}    LOCAL_ACCESS_KEY_ID`
      : 'LOCAL_ACCESS_KEY_ID of your environment'
  return `
  queues      ${endpoints.sqs}    set it as AWS_ENDPOINT_URL_SQS; access key id: ${key}`
}

function notes({ values }: StackSettings): string {
  return incomplete(values)
    .map((note) => `\n  note        ${note}`)
    .join('')
}
