import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { temporaryDir } from '../testing/harness.ts'
import { openFunctionLog } from './function-log.ts'

test('the terminal shows which request failed and why; the file has all lines', async () => {
  await using dir = await temporaryDir()
  const shown: string[] = []
  const log = openFunctionLog({
    dir: dir.path,
    show: (text) => void shown.push(text),
    verbose: false,
  })
  const request = { message: 'request', method: 'POST', path: '/api/billing' }
  const entries = [
    { level: 'info', ...request, status: 200 },
    { level: 'error', ...request, status: 503, failed: 'Payments is not configured' },
    { level: 'error', ...request, status: 500, error: { message: 'no table' }, failed: 'Failed' },
    { level: 'warn', message: 'the workspace was not given', error: { message: 'no answer' } },
    { level: 'warn', message: 'a model did not answer' },
  ]
  for (const entry of entries) log.write('web-table', JSON.stringify(entry))
  log.write('web-table', 'printed')
  await log.close()
  expect(shown).toEqual([
    'web-table  error  POST /api/billing 503: Payments is not configured',
    'web-table  error  POST /api/billing 500: no table',
    'web-table  warn  the workspace was not given: no answer',
    'web-table  warn  a model did not answer',
    'web-table  printed',
  ])
  expect((await readFile(log.path, 'utf8')).trim().split('\n')).toHaveLength(6)
})

test('foreign text is escaped, so that the terminal ignores its control sequences', async () => {
  await using dir = await temporaryDir()
  const shown: string[] = []
  const show = (text: string) => void shown.push(text)
  const log = openFunctionLog({ dir: dir.path, show, verbose: false })
  const said = '\u001b]52;c;aGk=\u0007 no\r\nweb-chat  error  forged \u009b2J \u202e'
  log.write('checks', JSON.stringify({ level: 'warn', message: 'lost', error: { message: said } }))
  log.write('checks', `printed ${said}`)
  await log.close()
  const written = String.raw`\u001b]52;c;aGk=\u0007 no\u000d\u000aweb-chat  error  forged \u009b2J \u202e`
  expect(shown).toEqual([`checks  warn  lost: ${written}`, `checks  printed ${written}`])
})
