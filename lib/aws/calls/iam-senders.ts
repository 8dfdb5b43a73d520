import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  IAMClient,
  ListInstanceProfilesCommand,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import type { ClientSettings, Sender } from '#lib/aws/place.ts';

/** The operations of IAM, each as one SDK command. */
export function iamSenders(place: ClientSettings) {
  const client = new IAMClient(place);
  return {
    AddRoleToInstanceProfile: (input) =>
      client.send(new AddRoleToInstanceProfileCommand(typed(input))),
    CreateInstanceProfile: (input) => client.send(new CreateInstanceProfileCommand(typed(input))),
    DeleteInstanceProfile: (input) => client.send(new DeleteInstanceProfileCommand(typed(input))),
    GetInstanceProfile: (input) => client.send(new GetInstanceProfileCommand(typed(input))),
    ListInstanceProfiles: (input) => client.send(new ListInstanceProfilesCommand(typed(input))),
    RemoveRoleFromInstanceProfile: (input) =>
      client.send(new RemoveRoleFromInstanceProfileCommand(typed(input))),
  } satisfies Readonly<Record<string, Sender>>;
}

/** The input as its command takes it: the typed seam let nothing else pass. */
const typed = <Input>(input: unknown): Input => input as Input;
