import { expect } from 'vitest'
import { call, type TestUser } from '../http/client.ts'

interface Place {
  web: string
  checkout: string
  checkoutKey: string
}

/** Drives a stack's stand-in checkout: its pages, and the controls that trigger events. */
export function checkoutOf(stack: () => Place) {
  const billing = async (user: TestUser) =>
    (await call(`${stack().web}/api/billing`, { headers: user.session })).body

  /**
   * Starts the action.
   * @returns the address of its payment page
   */
  async function ask(user: TestUser, body: object): Promise<string> {
    const answer = await call(`${stack().web}/api/billing`, { headers: user.session, body })
    expect([answer.status, answer.body]).toEqual([200, { url: expect.any(String) }])
    return String(answer.body.url)
  }

  /**
   * Submits the page with one of its buttons.
   * @returns the address that it redirects to
   */
  async function press(url: string, button: 'pay' | 'decline'): Promise<string> {
    const answer = await fetch(`${url}/${button}`, { method: 'POST', redirect: 'manual' })
    expect(answer.status).toBe(303)
    return answer.headers.get('location') ?? ''
  }

  /** Calls the checkout's controls. */
  async function control(method: string, path: string, body?: object) {
    const { checkout, checkoutKey } = stack()
    const headers = { authorization: `Bearer ${checkoutKey}` }
    const answer = await call(`${checkout}/_control${path}`, { method, headers, body })
    expect(answer.status).toBe(200)
    return answer.body
  }

  return { billing, ask, press, control }
}
