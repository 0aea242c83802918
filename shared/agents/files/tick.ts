import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { collectionItems } from './collection/items.ts'
import { uploadItems } from './uploads/items.ts'

/** Requests the collections and uploads that are due. @returns the numbers of messages sent */
export async function tickFiles(
  ctx: Pick<Context, 'table'> & Sends<'file-collections' | 'file-uploads'>,
  now = Date.now(),
): Promise<{ uploads: number; collections: number }> {
  const uploads = await uploadItems.tick(ctx, now)
  return { uploads, collections: await collectionItems.tick(ctx, now) }
}
