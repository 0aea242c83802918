import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** How often this process shows that it still works, in milliseconds. */
const beatMs = 2000

/** How soon a guard that has ended is replaced, in milliseconds. */
const replaceMs = 1000

const program = join(import.meta.dirname, 'main.ts')

/**
 * Has a process of its own watch this one, and kill it once its event loop has stood still for too long: a process that
 * hangs can neither see that nor end itself, also when it is told to. The guard goes with this process, however that
 * ends.
 * @param onHang `report` says in the log that it hangs, and leaves it as it is
 */
export function guardLiveness(onHang: 'kill' | 'report'): void {
  const { NODE_COMPILE_CACHE: cache } = process.env
  const guard = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, onHang],
    {
      // The guard gets no data of the agent, and no secrets.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  )
  const beat = setInterval(() => {
    if (!guard.stdin.writableNeedDrain) guard.stdin.write('.')
  }, beatMs)
  const replace = () => {
    clearInterval(beat)
    setTimeout(() => guardLiveness(onHang), replaceMs).unref()
  }
  guard.once('exit', replace)
  guard.once('error', (error) => {
    process.stderr.write(`The guard of the agent's process cannot start: ${error.message}\n`)
    replace()
  })
  // It has ended: that is seen by its exit.
  guard.stdin.on('error', () => {})
  beat.unref()
  guard.unref()
}
