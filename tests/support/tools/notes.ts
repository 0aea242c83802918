/**
 * `npm run notes`: an MCP server with notes on this machine, which requires a sign-in by OAuth, to try connections
 * without an account elsewhere. The sign-in asks for nothing: everyone who opens its page is Ada. Prints the settings for
 * `npm run dev`, and runs until it is stopped.
 */
import { startNotes } from './start-notes.ts'

const notes = await startNotes()

for (const [name, value] of Object.entries({ ...notes.settings, NOTES: notes.url }))
  process.stdout.write(`export ${name}=${value}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void notes.close().finally(() => process.exit(0)))
