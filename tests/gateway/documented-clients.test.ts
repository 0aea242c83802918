import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { plays } from '../support/ai/played.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/use/models.md'), 'utf8')

/** The JavaScript programs of the page, by the package of their first import. */
const programs = [...page.matchAll(/^```js\n([^]*?)^```$/gm)].map(
  ([, program = '']) => [/ from '(.*)'/.exec(program)?.[1], program] as const,
)

describe('a program of docs/use/models.md', () => {
  const on = useAiFunction({ AI_SPEAKS: 'chat,messages' })

  it('exists for every client', () => expect(programs).toHaveLength(8))

  it.each(programs)('prints the answer: %s', async (_name, program) => {
    on.upstream.serve(
      'anthropic/claude-sonnet-5.5',
      plays(() => ({ text: 'Hi there' })),
    )
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      {
        cwd: root,
        env: {
          PATH: process.env.PATH,
          MODELS_URL: on.gateway.url,
          PLATFORM_API_KEY: on.caller.key,
        },
      },
    )
    expect(stdout).toBe('Hi there\n')
  })
})
