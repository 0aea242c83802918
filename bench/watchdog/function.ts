/** The sandbox of one function: loads a bundle as Lambda does, handles events, and reports what they took. */
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
