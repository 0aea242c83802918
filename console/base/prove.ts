import { platform, PlatformError } from './platform.ts'
import { InputError } from './words.ts'

/**
 * Sends a request that has the current password. A wrong password and an ended session are both 401, but only an ended
 * session may lead to the sign-in page.
 * @throws InputError for a wrong password
 */
export async function withPassword<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 401) throw error
    if ((await platform.auth.session()) === null) throw error
    throw new InputError('The current password is wrong.')
  }
}
