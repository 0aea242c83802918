/** What a fleet's tasks run: fetches as the agents' gateways do, and then answers with all that it was told. */
import { flushCompileCache } from 'node:module'
import { bootstrap } from '../../agent/gateway/bootstrap.ts'

const { environment, credentials } = await bootstrap(process.env)
Object.assign(process.env, environment, { CREDENTIALS: JSON.stringify(credentials) })
await import('../../stacks/local/containers/testing/server.ts')
// Most tests kill it, and what is killed keeps nothing of what it has compiled.
flushCompileCache()
