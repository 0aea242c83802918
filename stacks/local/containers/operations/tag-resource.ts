import * as z from 'zod'
import { idOf } from '../engine.ts'
import { tags } from '../tasks/request.ts'
import { findTask, storeTags } from '../tasks/store.ts'
import { Fault } from '../wire/fault.ts'
import { operation } from '../wire/operation.ts'

/** Adds tags to a task that has not stopped, and replaces existing keys. */
export const tagResource = operation(
  z.object({ resourceArn: z.string(), tags: tags.min(1) }),
  (engine, input) => {
    const id = idOf(input.resourceArn)
    const task = findTask(engine.store, id)
    if (task?.taskArn !== input.resourceArn || task.lastStatus === 'STOPPED') {
      throw new Fault('ResourceNotFoundException', 'The specified task was not found.')
    }
    const byKey = new Map([...task.tags, ...input.tags].map((tag) => [tag.key, tag]))
    if (byKey.size > 50) throw new Fault('InvalidParameterException', 'A task has at most 50 tags.')
    storeTags(engine.store, id, [...byKey.values()])
    return {}
  },
)
