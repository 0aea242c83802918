import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** The interval of probes before and after OpenClaw's first response, in milliseconds. The second is also the timeout. */
const firstAskMs = 500
const askMs = 5000

/** The number of unanswered probes in a row that count as a hang: 20 s; during the start, a minute. */
const maxUnanswered = 4
const maxUnansweredAtFirst = 12

/**
 * Probes OpenClaw repeatedly; a response with any status is enough.
 *
 * Until its first response, OpenClaw may refuse connections for as long as the watchdog allows. While it stops, it may
 * refuse new connections to finish active work. Silence counts as a hang in both cases.
 *
 * @returns when OpenClaw hangs
 */
export async function untilUnresponsive(port: number, isDraining: () => boolean): Promise<void> {
  let hasAnswered = false
  let unanswered = 0
  for (;;) {
    const next = delay(hasAnswered ? askMs : firstAskMs, undefined, { ref: false })
    const answer = await ask(port)
    if (answer === 'answers') {
      hasAnswered = true
      unanswered = 0
    } else if (answer === 'silent' || (hasAnswered && !isDraining())) {
      unanswered++
    }
    const max = hasAnswered || isDraining() ? maxUnanswered : maxUnansweredAtFirst
    if (unanswered >= max) return
    await next
  }
}

function ask(port: number): Promise<'answers' | 'silent' | 'refuses'> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(askMs)
    const request = get({ host: '127.0.0.1', port, path: '/healthz', agent: false, signal })
    request.once('response', (response) => {
      response.destroy()
      resolve('answers')
    })
    request.once('error', () => resolve(signal.aborted ? 'silent' : 'refuses'))
    // A request can close with neither a response nor an error, if the other side switches protocols.
    request.once('close', () => resolve('refuses'))
  })
}
