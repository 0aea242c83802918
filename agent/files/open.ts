import type { Settings } from '../gateway/settings.ts'
import { RestoreDoor } from './door.ts'
import { Files } from './files.ts'

/**
 * Restores the agent's files before its program starts. Meanwhile, the agent's port answers the probes.
 * @returns undefined if the platform stores no files
 * @throws Error if the files cannot be restored
 */
export async function openFiles(
  settings: Settings,
  options: { root: string; log: (text: string) => void; onHeld: () => void },
): Promise<Files | undefined> {
  if (!settings.files) return undefined
  const { ai, generation } = settings
  await using _door = await RestoreDoor.open(settings)
  return await Files.restore({
    ...options,
    generation,
    baseUrl: ai.baseUrl,
    apiKey: ai.apiKey,
  })
}
