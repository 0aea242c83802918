/** Returns whether a response has a 2xx status. @param status null or undefined if there was no response */
export function isSuccess(status: number | null | undefined): boolean {
  return typeof status === 'number' && status >= 200 && status <= 299
}
