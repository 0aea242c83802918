import { cloneDescriptor } from '../../../shared/agents/clone/descriptor.ts'
import { cloneService } from '../../../shared/agents/clone/schema.ts'
import { route } from './services.ts'

export const describeClone = route({
  method: 'GET',
  path: '/api/agents/clone',
  summary: 'What cloning an agent costs, and how it is paid for',
  tag: 'agents',
  guard: 'none',
  response: cloneService,
  errors: ['too-many-requests'],
  handle: () => cloneDescriptor,
})
