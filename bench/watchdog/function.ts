/** One function's sandbox: loads a bundle as Lambda does, answers each event that it is sent, and tells what it took. */
import { createRequire } from 'node:module'

const [bundle = ''] = process.argv.slice(2)
const { handler } = createRequire(import.meta.url)(bundle) as {
  handler(event: unknown): Promise<unknown>
}

process.on('message', async (event: unknown) => {
  const before = process.cpuUsage()
  const answer = await handler(event)
  const { user, system } = process.cpuUsage(before)
  const maxRssMb = process.resourceUsage().maxRSS / 1024
  process.send?.({ answer, cpuMs: (user + system) / 1000, maxRssMb })
})
process.send?.('ready')
