// Package tabnet is TabNet (Arik and Pfister: "TabNet: Attentive Interpretable Tabular Learning", AAAI 2021) as pytorch-tabnet
// (dreamquark-ai) has it, the library with which the paper compared, on GoMLX. The version is 3.1.1, that of the environment which the
// paper's authors exported later (conda_export_no_builds.yml of the official code at revision 3663adb).
//
// In a few decision steps the network chooses, row by row, features to look at: a mask that sums to 1, of which most entries are
// 0. What the steps find adds up to the prediction.
//
// To read it, begin with network.go, the forward pass, and parameters.go, the list of weights; GoMLX derives the gradients.
// Around them: step.go has what runs on the device, train.go the loop with its early stopping, method.go the method of the
// comparison.
//
// What follows the library where one might expect otherwise: virtual batches of ghost batch normalisation are of equal size as
// far as they can be, and the running statistics take one after the other; gradients are scaled to a norm of 1 where they are
// longer; the learning rate falls with the epochs, not with the steps; a category that is missing counts as the first one; all
// features are normalised together, embedded categories too; a batch that leaves one row alone in a virtual batch is an error.
//
// What does not: a batch larger than the training part has all of its rows, also where incomplete batches are left out; a training
// whose weights are no numbers any more ends at once, with the best ones before; numeric columns come before categorical ones; a class
// that no training row has gets a probability, where the library has no output for it; on Kick's published folds, where an entry that is
// there can count as missing, the first category is the first that is a value, where the official code has "?" before the values of
// eight of the eleven columns with gaps.
// Random numbers are not PyTorch's: results agree in distribution over seeds.
package tabnet
