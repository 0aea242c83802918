import { Platform } from '../../clients/typescript/index.ts'
import { setClock } from './clock.ts'
import { takeEarly } from './early.ts'

export { PlatformError } from '../../clients/typescript/index.ts'

/** The client of the web API, with the session cookie. Retries a temporary failure once. */
export const platform = new Platform({
  baseUrl: location.origin,
  maxRetries: 1,
  async fetch(input, init) {
    const isRead = init?.method === 'GET'
    const answer = await ((isRead ? takeEarly(input) : undefined) ?? fetch(input, init))
    setClock(answer.headers.get('date'))
    return answer
  },
})
