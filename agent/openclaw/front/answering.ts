import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** How often OpenClaw is asked, at first and once it has answered, and how long an answer is waited for, in milliseconds. */
const firstAskMs = 500
const askMs = 5000

/** OpenClaw hangs once it has been silent so many times in a row: 20 s; while it comes up, a minute. */
const mostUnanswered = 4
const mostUnansweredAtFirst = 12

/**
 * Asks OpenClaw again and again whether it answers at all, with any status.
 *
 * Until it has answered it may refuse connections for as long as the watchdog lets it. One that is to end may refuse new
 * ones while it finishes what is under way; but silence is a hang also then.
 *
 * @returns once it hangs
 */
export async function untilHung(port: number, isDraining: () => boolean): Promise<void> {
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
    const most = hasAnswered || isDraining() ? mostUnanswered : mostUnansweredAtFirst
    if (unanswered >= most) return
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
    // It may end with neither: where the other side would speak another protocol.
    request.once('close', () => resolve('refuses'))
  })
}
