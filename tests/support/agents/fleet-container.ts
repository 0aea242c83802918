/** The program that a fleet's tasks run: it fetches its settings as the agents' gateways do, then serves them all. */
import { flushCompileCache } from 'node:module'
import { bootstrap } from '../../../agent/gateway/bootstrap.ts'

const { environment, credentials } = await bootstrap(process.env)
Object.assign(process.env, environment, { CREDENTIALS: JSON.stringify(credentials) })
await import('#stacks/local/containers/testing/server.ts')
// Most tests kill this process, and a killed process does not save its compile cache.
flushCompileCache()
