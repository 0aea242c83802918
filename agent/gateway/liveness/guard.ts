import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** The interval of this process's heartbeats, in milliseconds. */
const beatMs = 2000

/** The delay before a guard that has exited is replaced, in milliseconds. */
const replaceMs = 1000

const program = join(import.meta.dirname, 'main.ts')

/**
 * Starts a guard process that kills this one if its event loop is blocked for too long. A blocked process can neither
 * detect that nor stop itself, not even on a signal. The guard ends with this process, no matter how the process ends.
 * @param onHang `report` only logs the hang
 */
export function guardLiveness(onHang: 'kill' | 'report'): void {
  const { NODE_COMPILE_CACHE: cache } = process.env
  const guard = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, onHang],
    {
      // The guard gets no data of the agent and no secrets.
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
  // The guard has exited; the exit event handles that.
  guard.stdin.on('error', () => {})
  beat.unref()
  guard.unref()
}
