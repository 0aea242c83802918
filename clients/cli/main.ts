import { proposeCompletions, run } from '@stricli/core'
import { app } from './app.ts'
import { Cli } from './cli.ts'
import type { Context } from './command.ts'
import { ActionRequired, exitCodeOf, exitCodes, remedyOf } from './failure.ts'

const interruption = new AbortController()
process.once('SIGINT', () => interruption.abort())
// The reader of the output may close it early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.failed)
})

const cli = new Cli(process, interruption.signal)
const fail: Context['fail'] = (error, flags) => {
  if (interruption.signal.aborted) {
    cli.exitCode = exitCodes.interrupted
    return
  }
  cli.exitCode = exitCodeOf(error)
  const { message } = error as Error
  if (flags.json && error instanceof ActionRequired)
    cli.json({ status: 'action_required', message, next: [{ command: error.next }] })
  cli.say(message)
  const remedy = remedyOf(error, () => cli.urlOf(flags))
  if (remedy !== undefined) cli.say(remedy)
}

/** The exit code that the parser sets. Its own codes are negative; all but one mean wrong usage. */
const ended: { exitCode?: number | string | null } = {}
const { stdout, stderr, env } = process
const parserProcess = Object.assign(ended, { stdout, stderr, env })
const context = { process: parserProcess, cli, fail }
const [first, ...words] = process.argv.slice(2)
if (first === '__complete') {
  const proposals = await proposeCompletions(app, words, context)
  for (const { completion } of proposals) cli.out(completion)
} else await run(app, process.argv.slice(2), context)
const code = Number(ended.exitCode ?? 0)
const exitCode = code < 0 ? exitCodes.usage : code > 0 ? exitCodes.failed : cli.exitCode
process.exitCode = interruption.signal.aborted ? exitCodes.interrupted : exitCode
