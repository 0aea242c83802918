import { runtimeVersion } from '../../../shared/agents/names.ts'
import { runtimeVersionAnswer } from '../../../shared/agents/stats/schema.ts'
import { route } from './services.ts'

export const getVersion = route({
  method: 'GET',
  path: '/api/runtime/version',
  summary: 'What agents are started from',
  tag: 'runtime',
  guard: 'none',
  response: runtimeVersionAnswer,
  errors: [],
  handle: ({ image }) => ({ runtimeVersion: runtimeVersion(image), image, deployedAt: null }),
})
