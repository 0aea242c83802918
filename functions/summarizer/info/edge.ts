import { app } from './app.ts'

/** The same app as a worker: what workerd and Cloudflare call. */
export default { fetch: app.fetch }
