import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Checkout } from '../stage/testing/checkout.ts'
import { PlayedStage } from './testing/played-stage.ts'

let aws: PlayedStage
let checkout: Checkout

beforeEach(async () => {
  aws = await new PlayedStage().listen()
  checkout = await Checkout.make()
  await checkout.settings('AWS_REGION=eu-west-1\nAGENT_IMAGE=agent:1\n', 'test')
})
afterEach(async () => {
  await aws[Symbol.asyncDispose]()
  await checkout[Symbol.asyncDispose]()
})

const look = () =>
  checkout.runOften(join(import.meta.dirname, 'main.ts'), aws.url, ['--stage', 'test'])

it('finds no difference in a stage that is deployed as declared', async () => {
  const { code, said } = await look()
  expect(said).not.toMatch(/^(missing|look)/m)
  expect(said).toMatch(/^ok +\d+ functions +as declared/m)
  expect(code).toBe(0)
})

it('names each function and queue that differs, and one that does not exist', async () => {
  aws.functions.delete('web-chat')
  const checks = aws.functions.get('checks')
  if (checks !== undefined) checks.memoryMb = 64
  const queue = aws.queues.get(`${aws.url}/1/splits`)
  if (queue !== undefined) queue.visibility = 1
  const { code, said } = await look()
  expect(said).toMatch(/^missing +function web-chat +does not exist/m)
  expect(said).toMatch(/^missing +function checks +nodejs24.x, arm64, 64 MB/m)
  expect(said).toMatch(/^missing +queue splits +hidden for 1 s/m)
  expect(said).toMatch(/^missing +\d+ functions +2 differ/m)
  expect(code).toBe(1)
})

it('names a function whose loop Lambda would stop, and one that may loop without need', async () => {
  const [checks, mails] = [aws.functions.get('checks'), aws.functions.get('mails')]
  if (checks !== undefined) checks.recursion = 'Terminate'
  if (mails !== undefined) mails.recursion = 'Allow'
  const { code, said } = await look()
  expect(said).toMatch(/^missing +recursion of checks +Terminate +Allow/m)
  expect(said).toMatch(/^missing +recursion of mails +Allow +Terminate/m)
  expect(said).toMatch(/^missing +\d+ recursion configurations +2 differ/m)
  expect(code).toBe(1)
})

it('leaves out functions that run as a service', async () => {
  aws.functions.delete('backend-ai')
  await checkout.settings(
    'AWS_REGION=eu-west-1\nAGENT_IMAGE=agent:1\nSERVICES=backend-ai\n',
    'test',
  )
  const { code, said } = await look()
  expect([code, said]).toEqual([0, expect.any(String)])
})

it.each([
  ['the cluster', 'cluster', () => (aws.clusterStatus = undefined)],
  ['backups of the table', 'table', () => (aws.table.recovery = 'DISABLED')],
  ['a surface', 'surface backend', () => aws.unhealthy.add('backend')],
])('finds %s that is missing or does not work', async (_, what, breakIt) => {
  breakIt()
  const { code, said } = await look()
  expect(said).toMatch(new RegExp(`^missing +${what} `, 'm'))
  expect(code).toBe(1)
})

it('prints what AWS refuses to let it read', async () => {
  aws.queues.clear()
  const { code, said } = await look()
  expect(said).toMatch(/^missing +queues +could not be read: QueueDoesNotExist/m)
  expect(code).toBe(1)
})
