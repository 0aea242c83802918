import { Client } from '../../clients/typescript/core/client.ts'
import { Account, Keys, Settings } from '../../clients/typescript/resources/account.ts'
import { AgentOperations } from '../../clients/typescript/resources/agent-operations.ts'
import { Approvals } from '../../clients/typescript/resources/approvals.ts'
import { SignIn } from '../../clients/typescript/resources/auth.ts'
import { Runs, Swarms, Tasks } from '../../clients/typescript/resources/automation.ts'
import { Billing, Payments } from '../../clients/typescript/resources/billing.ts'
import { Chat } from '../../clients/typescript/resources/chat.ts'
import { Storage } from '../../clients/typescript/resources/files.ts'
import { OAuthConsent } from '../../clients/typescript/resources/oauth.ts'
import { Models } from '../../clients/typescript/resources/platform.ts'
import { Resource } from '../../clients/typescript/resources/resource.ts'
import { Colony, Estimates, Fleet, Usage } from '../../clients/typescript/resources/usage.ts'
import { WebhookEndpoints } from '../../clients/typescript/resources/webhook-endpoints.ts'
import { Credentials, Memory, Skills } from '../../clients/typescript/resources/workspace.ts'
import { setClock } from './clock.ts'
import { takeEarly } from './early.ts'

export { PlatformError } from '../../clients/typescript/core/errors.ts'

/** The part of the client that the console uses. The sign-in page loads it, so a resource of one screen is in the file of that screen, and the parts of agents are in `screens/agent/client.ts`. */
class Platform extends Resource {
  readonly account = new Account(this.client)
  readonly agents = new AgentOperations(this.client)
  readonly approvals = new Approvals(this.client)
  readonly auth = new SignIn(this.client)
  readonly billing = new Billing(this.client)
  readonly chat = new Chat(this.client)
  readonly colony = new Colony(this.client)
  readonly credentials = new Credentials(this.client)
  readonly estimates = new Estimates(this.client)
  readonly fleet = new Fleet(this.client)
  readonly keys = new Keys(this.client)
  readonly logs = this.agents.logs
  readonly memory = new Memory(this.client)
  readonly models = new Models(this.client)
  readonly oauth = new OAuthConsent(this.client)
  readonly payments = new Payments(this.client)
  readonly runs = new Runs(this.client)
  readonly settings = new Settings(this.client)
  readonly skills = new Skills(this.client)
  readonly storage = new Storage(this.client)
  readonly swarms = new Swarms(this.client)
  readonly tasks = new Tasks(this.client)
  readonly usage = new Usage(this.client)
  readonly webhookEndpoints = new WebhookEndpoints(this.client)
}

/** Sends the requests of all resources, with the session cookie. Retries a temporary failure once. */
export const client = new Client({
  baseUrl: location.origin,
  maxRetries: 1,
  async fetch(input, init) {
    const isRead = init?.method === 'GET'
    const answer = await ((isRead ? takeEarly(input) : undefined) ?? fetch(input, init))
    setClock(answer.headers.get('date'))
    return answer
  },
})

/** The client of the web API. */
export const platform = new Platform(client)
