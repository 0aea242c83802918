import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { askForAgent, call, newSubscriber, newUser, stack } from '../support/stack/platform.ts'

interface Line {
  message: string
  function: string
  requestId?: string
  queue?: string
  actor?: string
  outcome?: string
  messageId?: string
  receives?: number
}

/** Returns the log lines of a request and of the jobs that it caused. */
async function linesOf(requestId: string): Promise<Line[]> {
  const text = await readFile(stack().logFile, 'utf8')
  // The last line may be incomplete.
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n')
  return lines
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.requestId === requestId && ['request', 'message'].includes(line.message))
}

const byFunction = (one: Line, other: Line) => one.function.localeCompare(other.function)

it('a request is followed by its id through every job that it causes', async () => {
  const { email } = await newUser()
  const request = await call(`${stack().web}/api/auth/forgot-password`, { body: { email } })
  expect(request.status).toBe(200)
  const requestId = request.headers.get('x-request-id') ?? ''
  expect(requestId).toMatch(/^req_/)
  const message = { message: 'message', actor: 'public', outcome: 'done', receives: 1 }
  const lines = await eventually(async () => {
    const found = await linesOf(requestId)
    // The job may log its line before the request does.
    expect(found.toSorted(byFunction)).toMatchObject([
      { ...message, function: 'mails', queue: 'mails' },
      { ...message, function: 'password-resets', queue: 'password-resets' },
      { message: 'request', function: 'web-profile', actor: 'public' },
    ])
    return found
  })
  // Only the mail may contain the address.
  expect(JSON.stringify(lines)).not.toContain(email)
})

it('the jobs of a caller’s own request id log the kind of caller, once per attempt', async () => {
  const user = await newSubscriber()
  const requestId = `followed-${user.id}`
  const request = await askForAgent(user, { name: 'Followed' }, { 'x-request-id': requestId })
  expect(request.status).toBe(201)
  await eventually(async () => {
    const lines = await linesOf(requestId)
    const requests = lines.filter(({ message }) => message === 'request')
    const jobs = lines.filter(({ message }) => message === 'message')
    expect(requests).toMatchObject([{ actor: `user:${user.id}` }])
    expect(jobs[0]).toMatchObject({ queue: 'provisioning', actor: 'user', outcome: 'done' })
    const handlings = jobs.map(({ messageId, receives }) => `${messageId} ${receives}`)
    expect(new Set(handlings).size).toBe(handlings.length)
  })
})

it('an invalid id is not logged', async () => {
  const { email } = await newUser()
  const forged = `no id of ${email}`
  const request = await call(`${stack().web}/api/auth/forgot-password`, {
    body: { email },
    headers: { 'x-request-id': forged },
  })
  const requestId = request.headers.get('x-request-id') ?? ''
  expect(requestId).toMatch(/^req_/)
  await eventually(async () => expect(await linesOf(requestId)).toHaveLength(3))
  expect(await readFile(stack().logFile, 'utf8')).not.toContain(forged)
})
