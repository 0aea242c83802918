import * as z from 'zod'
import { PlatformError } from '../../../shared/platform/errors.ts'
import { writeTestUsage } from '../../../shared/usage/write-test.ts'
import { route } from './services.ts'

/** Who is nobody in particular. */
const anonymous = 'anonymous'

export const testUsage = route({
  method: 'POST',
  path: '/api/test-usage',
  summary: 'Write one test row of usage; where the platform is deployed, for administrators only',
  tag: 'usage',
  guard: 'optional-session',
  response: z.object({ status: z.literal('ok'), message: z.string(), timestamp: z.string() }),
  errors: ['forbidden', 'internal'],
  handle: async (context) => {
    const { actor, deployed } = context
    const user = actor.type === 'user' ? actor.user : undefined
    if (deployed && user?.isAdmin !== true)
      throw new PlatformError('forbidden', 'Admin access required', { code: 'ADMIN_REQUIRED' })
    const { createdAt } = await writeTestUsage(context, user?.id ?? anonymous)
    return { status: 'ok' as const, message: 'Test usage row written', timestamp: createdAt }
  },
})
