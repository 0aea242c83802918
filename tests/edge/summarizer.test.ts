import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOf } from '../support/http/carrier.ts'
import type { Worker } from '../support/http/workerd.ts'

let worker: Worker
let base: string

beforeAll(async () => {
  worker = await startOf('summarizer-info')
  base = worker.url
})
afterAll(() => worker.close())

describe('the summarizer’s description on workerd', () => {
  it('describes the service', async () => {
    const answer = await fetch(`${base}/`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
    expect(await answer.json()).toMatchObject({
      service: 'web-summarizer',
      endpoints: expect.any(Object),
      payment: { currency: 'USDC', payTo: null },
    })
  })

  it('returns health, readiness, wrong methods and unknown paths as on Lambda', async () => {
    const health = await fetch(`${base}/health`)
    expect(await health.json()).toEqual({
      status: 'ok',
      service: 'web-summarizer',
      version: expect.any(String),
    })
    const ready = await fetch(`${base}/health/ready`)
    expect(await ready.json()).toEqual({ status: 'ready', checks: {} })
    const wrong = await fetch(`${base}/health`, { method: 'POST' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET'])
    const unknown = await fetch(`${base}/nothing`)
    expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'Not found' }])
  })
})
