/** `npm run dev`: runs the whole platform on this machine. */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { functions } from '#shared/manifest/index.ts'
import { buildInBackground } from '../build/in-background.ts'
import { preflight } from './preflight.ts'
import { startStack } from './stack.ts'
import { help } from './terminal/help.ts'
import { welcome } from './terminal/welcome.ts'

const root = resolve(import.meta.dirname, '../..')
const say = (text: string) => void process.stdout.write(`${text}\n`)
const seconds = () => (performance.now() / 1000).toFixed(1)

/** npm forwards a signal that the terminal also sent. A second one this soon after the first is the same one. */
const sameSignalMs = 500

async function main(): Promise<void> {
  const flags = readFlags()
  if (flags.help) {
    say(help(functions.length))
    return
  }
  // Files of this process and its children are private to the user, even if the shell's umask is not.
  process.umask(0o077)
  const settings = await preflight(root, process.env, flags.reset)
  say(`Starting the agent platform on Node ${process.version}.`)
  const problem = (where: string, message: string, error: unknown) => {
    say(`${where}  ${message}: ${error instanceof Error ? error.message : String(error)}`)
  }
  const building = await buildInBackground({
    functions,
    root,
    outDir: join(root, 'dist'),
    onProblem: (what, error) => problem(what, 'the build failed', error),
  })
  const { stale, consoleDir, functionsDir, servicesDir } = building
  const started = Promise.withResolvers<void>()
  const finished = started.promise.then(() => building.rest())

  const stack = await startStack({
    root,
    bundles: functionsDir,
    services: servicesDir,
    building: { ...building, finished },
    consoleDir,
    environment: process.env,
    reset: flags.reset,
    show: say,
    verbose: flags.verbose,
    onProblem: problem,
    onProgress: (what) => say(`  ${what}`),
  })

  let stoppingSince: number | undefined
  const stop = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince < sameSignalMs) return
      say('Stopped without waiting; agents stop by themselves.')
      process.exit(130)
    }
    stoppingSince = performance.now()
    say(`\n${signal}: stopping agents, functions and engines …`)
    void stack.close().then(() => {
      const took = ((performance.now() - (stoppingSince ?? 0)) / 1000).toFixed(1)
      say(`Stopped everything in ${took} s. Run \`npm run dev\` to continue with the same state.`)
      process.exit(0)
    })
  }
  if (process.env['npm_lifecycle_event'] !== undefined) whenParentEnds(() => stop('SIGTERM'))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // Printed last: it says that Ctrl-C stops everything, and a reader may try that immediately.
  say(welcome({ stack, settings, seconds: seconds() }))
  if (stale > 0)
    say(
      `Bundling ${stale} of ${functions.length} functions. A function that is called is bundled first.`,
    )
  started.resolve()
  await finished
  if (stale > 0 && stoppingSince === undefined)
    say(`All functions are bundled (${seconds()} s after the start). Schedules run from now on.`)
}

function readFlags() {
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({ options: { reset: flag, verbose: flag, help: { ...flag, short: 'h' } } })
      .values
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`${why}. Run \`npm run dev -- --help\` for the options.`, { cause: error })
  }
}

/**
 * Calls `then` when the parent exits. A SIGTERM to npm ends the shell in between, which does not forward the signal.
 */
function whenParentEnds(then: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    then()
  }, 250)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
