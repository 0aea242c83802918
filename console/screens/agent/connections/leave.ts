import { InputError } from '../../../base/words.ts'

/**
 * Leads the browser to the page where a server signs people in. Resolves if the user returns with the Back button.
 * @throws InputError for an address that is not of a web page
 */
export async function leaveFor(address: string): Promise<void> {
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
    throw new InputError('The server’s sign-in page has no valid address.')
  location.assign(address)
  await new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }))
}
