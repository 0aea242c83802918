import { expect, it } from 'vitest'
import { commandLine, programSource } from '../../tests/support/programs/command-line.ts'

it('the error for an unavailable platform names its address and how to choose another', async () => {
  const url = 'http://127.0.0.1:1'
  await using agents = await commandLine({ PLATFORM_URL: 'http://127.0.0.1:2' }, programSource)
  const { code, stdout, stderr } = await agents.run(['status', '--url', url])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.split('\n')).toEqual([
    `No answer from ${url}/health/ready`,
    `Check that the platform runs at ${url}. Use --url or PLATFORM_URL for another address.`,
    '',
  ])
})
