import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { plays } from '../support/ai/played.ts'
import type { Turn } from '../support/ai/turn.ts'

/**
 * Starts the gateway for a file of tests. Each test has a new caller, and folders of its own for a program.
 * @param AI_SPEAKS the families of the provider
 */
export function useProgram(model: string, AI_SPEAKS: string) {
  const on = useAiFunction({ AI_SPEAKS })
  const folders = { cwd: '', home: '' }
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'program-'))
    Object.assign(folders, { cwd: join(dir, 'repository'), home: join(dir, 'home') })
    for (const folder of Object.values(folders)) await mkdir(folder)
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))
  return {
    on,
    folders,
    /** Plays turns in order, and the last one again. */
    answers(...turns: readonly Turn[]) {
      let at = 0
      on.upstream.serve(
        model,
        plays(() => turns[Math.min(at++, turns.length - 1)] ?? {}),
      )
    },
  }
}
