import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { signedUp, signIn } from './support/people.ts'

afterAll(closeBrowser)

const hostile = '<b>Rhythm</b> for “Ada”'

async function post<T>(
  path: string,
  body: object,
  form = false,
): Promise<{ status: number; body: T }> {
  const answer = await fetch(inject('stack').web + path, {
    method: 'POST',
    headers: {
      'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      'user-agent': 'node',
    },
    body: form ? new URLSearchParams(Object.entries(body)).toString() : JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as T }
}

async function client(redirectUri: string): Promise<string> {
  const { body } = await post<{ client_id: string }>('/oauth/register', {
    client_name: hostile,
    redirect_uris: [redirectUri],
  })
  return body.client_id
}

/** A program without a browser that waits for its user's approval. */
async function device(scope: string) {
  const client_id = await client('http://127.0.0.1/cb')
  const { body } = await post<{ user_code: string; device_code: string }>(
    '/oauth/device_authorization',
    { client_id, scope },
    true,
  )
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  return {
    code: body.user_code,
    ask: () =>
      post<{ access_token?: string; error?: string }>(
        '/oauth/token',
        { client_id, grant_type, device_code: body.device_code },
        true,
      ),
  }
}

const shown = (page: Page) => page.getByRole('main').innerText()

describe('/device', () => {
  test('shows the requesting program and grants access, with only the keyboard', async () => {
    const { page, context } = await visit()
    await signedUp(context)
    const { code, ask } = await device('read admin')
    await page.goto('/device')
    await page.getByRole('textbox', { name: 'Code' }).fill(code.toLowerCase().replace('-', ' '))
    await page.keyboard.press('Enter')
    await page.getByText(code).waitFor()
    const text = await shown(page)
    for (const part of [hostile, 'Host', 'Address', 'Requested', 'read', 'admin', 'pay for plans'])
      expect(text).toContain(part)
    expect(text).not.toContain('Chat with your agents')
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Approve' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Approved.').waitFor()
    expect((await ask()).body.access_token).toMatch(/^at_/)
    await page.reload()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('Unknown or expired code')
  })

  test('denies access by Deny, after signing in with the code in the address', async () => {
    const { page, context } = await visit()
    const { email } = await signedUp(context)
    await context.clearCookies()
    const { code, ask } = await device('read')
    await page.goto(`/device?user_code=${code}`)
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByText(code).waitFor()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Denied.').waitFor()
    expect((await ask()).body.error).toBe('access_denied')
  })

  test('reports an invalid code, and too many attempts', async () => {
    const { page, context } = await visit()
    await signedUp(context)
    await page.goto('/device?user_code=BCDF-GHJK')
    await page.getByText('Unknown or expired code.').waitFor()
    expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe('BCDF-GHJK')
    expect(await findings(page)).toEqual([])
    for (let i = 0; i < 10; i++)
      await context.request.get(`/oauth/device?user_code=BCDF-GHJ${'BCDFGHJKLM'[i]}`)
    await page.reload()
    await page.getByText(/Try again in \d+ (?:second|minute)/).waitFor()
    expect(await page.getByText('Unknown or expired code').count()).toBe(0)
  })
})

describe('/connect', () => {
  /** A program on this machine that the browser is redirected to. */
  async function program() {
    const server = createServer((_, response) => response.end('<!doctype html><title>back</title>'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const redirect_uri = `${origin}/cb`
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: await client(redirect_uri),
      redirect_uri,
      scope: 'read chat',
      state: 's',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    return { origin, authorize: `/oauth/authorize?${query.toString()}` }
  }

  test.each([
    ['Approve', /[?&]code=/],
    ['Deny', /[?&]error=access_denied/],
  ])('%s redirects to the program with the result', async (name, answer) => {
    const { origin, authorize } = await program()
    const { page, context } = await visit({}, [origin])
    const { email } = await signedUp(context)
    await page.goto(authorize)
    await page.waitForURL('**/connect?request=*')
    await page.getByText(hostile).waitFor()
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(1)
    const text = await shown(page)
    for (const part of [new URL(origin).host, email, 'Chat with your agents'])
      expect(text).toContain(part)
    expect(await findings(page)).toEqual([])
    const request = page.url()
    await page.getByRole('button', { name }).click()
    await page.waitForURL(`${origin}/cb?*`)
    expect(page.url()).toMatch(answer)
    await page.goto(request)
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('Start again')
  })

  test('is reached after a sign-in, and by a user who is already signed in', async () => {
    const { origin, authorize } = await program()
    const { page, context } = await visit({}, [origin])
    const { email } = await signedUp(context)
    await context.clearCookies()
    await page.goto(authorize)
    await page.waitForURL('**/login?next=*')
    const request = page.url()
    await signIn(page, email)
    await page.waitForURL('**/connect?request=*')
    await page.getByText(hostile).waitFor()
    await page.goto(request)
    await page.waitForURL('**/connect?request=*')
    await page.getByText(hostile).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL(`${origin}/cb?*`)
    expect(page.url()).toMatch(/[?&]code=/)
  })

  test('is the only path of the platform that a sign-in redirects to', async () => {
    const { page, context } = await visit()
    const { email } = await signedUp(context)
    await context.clearCookies()
    const next = '/oauth/authorize/../device?user_code=BCDF-GHJK'
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await page.goto(`/login?next=${encodeURIComponent(next)}`)
    await signIn(page, email)
    await page.waitForURL('**/oauth/device?*')
    await page.getByRole('heading', { name: /found/i }).waitFor()
    await page.goto(`/login?next=${encodeURIComponent(next)}`)
    await page.getByRole('heading', { name: /found/i }).waitFor()
    expect(requests).toContain('/api/auth/session')
    expect(requests).not.toContain('/oauth/device')
  })
})
