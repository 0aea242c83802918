import { expect } from 'vitest'
import { call, type TestUser } from './client.ts'

interface Place {
  web: string
  checkout: string
  checkoutKey: string
}

/** What people do at a stack's stand-in checkout, and what its controls make happen there. */
export function checkoutOf(stack: () => Place) {
  const billing = async (user: TestUser) =>
    (await call(`${stack().web}/api/billing`, { headers: user.session })).body

  /** @returns the address of the page where the action is paid for */
  async function ask(user: TestUser, body: object): Promise<string> {
    const answer = await call(`${stack().web}/api/billing`, { headers: user.session, body })
    expect([answer.status, answer.body]).toEqual([200, { url: expect.any(String) }])
    return String(answer.body.url)
  }

  /** Presses a button of the page. @returns where it leads to */
  async function press(url: string, button: 'pay' | 'decline'): Promise<string> {
    const answer = await fetch(`${url}/${button}`, { method: 'POST', redirect: 'manual' })
    expect(answer.status).toBe(303)
    return answer.headers.get('location') ?? ''
  }

  /** Asks the controls. */
  async function control(method: string, path: string, body?: object) {
    const { checkout, checkoutKey } = stack()
    const headers = { authorization: `Bearer ${checkoutKey}` }
    const answer = await call(`${checkout}/_control${path}`, { method, headers, body })
    expect(answer.status).toBe(200)
    return answer.body
  }

  return { billing, ask, press, control }
}
