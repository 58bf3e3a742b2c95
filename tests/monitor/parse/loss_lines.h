// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "monitor/parse/loss_line.h"

namespace adarun::monitor {

inline constexpr auto none = std::nullopt;
inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A line and what is parsed from it.
struct Accepted {
  std::string text;
  LossLine line;
};

inline const Accepted accepted[] = {
    {"epoch: 1 step: 100, loss is 7.793933868408203", {7.793933868408203, 1, 100, none, none}},
    {"epoch: 1 step: 312 loss is  5.5303826", {5.5303826, 1, 312, none, none}},
    {"epoch: 1, step: 100, loss is 2.3", {2.3, 1, 100, none, none}},
    {"epoch:1 step:100, loss is 2.3", {2.3, 1, 100, none, none}},
    {"epoch: 1 step 100, loss is 2.3", {2.3, 1, 100, none, none}},
    {"epoch: [1/90] step: [100/312], loss is 2.3", {2.3, 1, 100, 90, 312}},
    {"epoch: [ 1/90], step: [ 100 / 312 ], loss is 2.3", {2.3, 1, 100, 90, 312}},
    {"Epoch 1/90, step:100/312, loss:2.3, overflow:False, loss_scale:1024, step cost:12",
     {2.3, 1, 100, 90, 312}},
    {"loss_scale:1024, loss:2.3", {2.3, none, none, none, none}},
    {"In epoch: 2 step: 17, loss is NAN or INF, training process cannot continue, terminating training.",
     {nan, 2, 17, none, none}},
    {"[epoch 1, step 100] loss: 2.3", {2.3, 1, 100, none, none}},
    {"[1,   2000] loss: 2.3", {2.3, none, none, none, none}},
    {"loss=2.3", {2.3, none, none, none, none}},
    {"loss = 2.3", {2.3, none, none, none, none}},
    {"12/12 - 1s - loss: 2.3 - accuracy: 0.5 - lr: 1e-3", {2.3, none, 12, none, 12}},
    {"loss: 2.3 - step 7 (of 9)", {2.3, none, 7, none, none}},
    {"epoch 1 step 2 loss: 2.3 * best", {2.3, 1, 2, none, none}},
    {"{ Epoch:[  1/  2], step:[   10/ 1000], loss: 10.123, per_step_time: 1234ms, lr: 1e-05, overflow cond: "
     "False",
     {10.123, 1, 10, 2, 1000}},
    {" iteration      100/  500000 | learning rate: 1.5E-04 | lm loss: 9.234567E+00 | loss scale: 65536.0 |",
     {9.234567, none, 100, none, 500000}},
    {"Loss: 2.3.", {2.3, none, none, none, none}},
    {"iter 100: loss 10.9812, time 200.1ms", {10.9812, none, 100, none, none}},
    {"Epoch: [3][  10/5005]\tTime  0.500 ( 0.700)\tLoss 6.9000e+00 (7.0000e+00)", {6.9, 3, 10, none, 5005}},
    {"Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.300039", {2.300039, 1, none, none, none}},
    {"{'loss': 2.31, 'learning_rate': 5e-05, 'epoch': 0.1}", {2.31, 1, none, none, none}},
    {"epoch 2, batch 7: loss: tensor(2.3026, grad_fn=<NllLossBackward0>)", {2.3026, 2, 7, none, none}},
    {"[INFO] 2024-01-01 12:00:00 test/run.py:12 epoch: 1 step: 2, loss is 3", {3, 1, 2, none, none}},
    {"[1,3]<stdout>: epoch: 1 step: 2, loss is 3", {3, 1, 2, none, none}},
    {"epoch: 1 step: 2, loss is nan", {nan, 1, 2, none, none}},
    {"epoch: 1 step: 2, loss is -NaN", {nan, 1, 2, none, none}},
    {"epoch: 1 step: 2, loss is inf", {inf, 1, 2, none, none}},
    {"epoch: 1 step: 2, loss is -Infinity", {-inf, 1, 2, none, none}},
    {"epoch: 1 step: 2, loss is +1.5E+03", {1500, 1, 2, none, none}},
    {"epoch: 1 step: 2, loss is .5", {.5, 1, 2, none, none}},
    {"epoch: 1 step: 2, loss is -3e-7\r", {-3e-7, 1, 2, none, none}},
    {"epoch: 1 step: 2, loss is 4\r\n", {4, 1, 2, none, none}},
    {"\x1b[32mepoch: 1\x1b[0m step: 2, \x1b[1;31mloss\x1b[0m is \x1b]0;title\a4.5\x1b[K",
     {4.5, 1, 2, none, none}},
    {" 10% loss=9.5\r 20% loss=8.5", {8.5, none, none, none, none}},
    {"epoch: 0 step: 0, loss is 0", {0, 0, 0, none, none}},
    {"epoch: 99999999999999999999999 step: 2, loss is 1", {1, none, 2, none, none}},
    {"Epoch 3:  45%|####5     | 211/469 [00:03<00:04, 62.10it/s, v_num=7, train_loss=0.0512]",
     {0.0512, 3, 211, none, 469}},
    {"Epoch 5/400:   1%|1         | 4/400 [00:03<00:04, v_num=7, train_loss=0.5]", {0.5, 5, none, 400, none}},
    {" 211/1875 [==>.....] - ETA: 3s - loss: 0.0912 - accuracy: 0.9720", {0.0912, none, 211, none, 1875}},
    {"640/60000 [==>.....] - 4s 66us/sample - loss: 0.2198", {0.2198, none, none, none, none}},
    {"steps: 480 loss: 0.6937 iter time (s): 0.353 samples/sec: 90.622", {0.6937, none, 480, none, none}},
    {"total steps: 480, loss: 0.5", {0.5, none, none, none, none}},
    {"Epoch(train)  [2][ 490/500]  lr: 1.0e-02  memory: 970  loss: 6.1887  loss_cls: 6.1887",
     {6.1887, 2, 490, none, 500}},
    {"| epoch 001:    450 / 1891 loss=11.521, nll_loss=10.881, num_updates=445, lr=8.9e-05",
     {11.521, 1, 445, none, none}},
    {"{'loss': '1.349', 'learning_rate': '2.958e-05', 'epoch': '1.23'}", {1.349, 2, none, none, none}},
    {"Epoch 1: : 1it [00:04, v_num=d3c7, reduced_train_loss=0.674, global_step=1.000]",
     {0.674, 1, 1, none, none}},
    {"I0325 14:01:32.3 130245 logging_writer.py:48] [100] learning_rate=0.1, train_loss=6.9021",
     {6.9021, none, 100, none, none}},
    {"[INFO] [12345] loss=5.5", {5.5, none, none, none, none}},
    {" 8001: 0.595442, 0.613257 avg loss, 0.001300 rate, 13.2 seconds, 512064 images",
     {0.595442, none, 8001, none, none}},
    {"{ Epoch:[  1/  2], step:[   14/ 1000], loss:[ 9.875/ 9.912], per_step_time: 1234ms",
     {9.875, 1, 14, 2, 1000}},
    {"Train: 0 [  50/1251 (  4%)]  Loss: 6.912 (6.93)  Time: 0.453s", {6.912, 0, 50, none, 1251}},
    {"iter: 79  total_loss: 321.3  loss_ce: 0.9114", {321.3, none, 79, none, none}},
    {"step 250: train loss 1.9651, val loss 2.0132", {1.9651, none, 250, none, none}},
    {"epoch: 1 step: 2, loss is 3, val_loss is 4", {3, 1, 2, none, none}},
    {"step 1,200 loss: 2.3", {2.3, none, none, none, none}},
    {"step 1,200,300/2,000,000 loss: 2.3", {2.3, none, none, none, none}},
    {"epoch: 1,200, loss is 2.3", {2.3, none, none, none, none}},
    {"epoch: 1, step: 1,200, loss is 2.3", {2.3, 1, none, none, none}},
    {"step 1, loss: 2.3", {2.3, none, 1, none, none}},
    {"step 1,20 loss: 2.3", {2.3, none, 1, none, none}},
    {"step 1,2000 loss: 2.3", {2.3, none, 1, none, none}},
    {"step 1, 200 loss: 2.3", {2.3, none, 1, none, none}},
    {"step 1200 loss: 2.125,300", {2.125, none, 1200, none, none}},
    {"step 1200 loss: 2,30", {2, none, 1200, none, none}},
    {"step 1200 loss: 2, 300", {2, none, 1200, none, none}},
};

/// Lines with a loss of a validation, and what is parsed of it.
inline const Accepted validations[] = {
    {"val_loss: 2.25", {2.25, none, none, none, none}},
    {"validation loss is 2.3", {2.3, none, none, none, none}},
    {"val/loss: 0.5", {0.5, none, none, none, none}},
    {"epoch: 1 step: 2, val_loss: 2.3", {2.3, 1, 2, none, none}},
    {"epoch: 1 step: 2, loss is 3, val_loss is 4", {4, 1, 2, none, none}},
    {"step 250: train loss 1.9651, val loss 2.0132", {2.0132, none, 250, none, none}},
    {"valid | epoch 2 | loss 2.2", {2.2, 2, none, none, none}},
    {"{'eval_loss': 1.358, 'eval_accuracy': 0.308, 'epoch': 1.0}", {1.358, 1, none, none, none}},
    {"Eval result: epoch 3, metrics: {'loss': 0.3, 'acc': 0.98}", {0.3, 3, none, none, none}},
    {"Test set: Average loss: 0.0489, Accuracy: 9850/10000 (98%)", {0.0489, none, none, none, none}},
    {"| epoch 001 | valid on 'valid' subset | valid_loss 8.11425 | num_updates 600",
     {8.11425, 1, 600, none, none}},
    {"Epoch(val) [3][79/79]    time: 0.0744  loss: 0.7125", {0.7125, none, none, none, none}},
    {"eval metrics after step: 11, loss=9.855, total_weights=75264.0", {9.855, none, 11, none, none}},
    {" validation loss at iteration 200 | lm loss value: 8.25E+00 |", {8.25, none, 200, none, none}},
};

/// Lines that only look like loss lines of a training.
inline const std::string refused[] = {
    "",
    "\r\n",
    "============== Starting Training ==============",
    "Train epoch time: 1234.567 ms, per step time: 12.345 ms",
    "loss",
    "loss is",
    "loss is ",
    "loss is low",
    "loss: none",
    "loss 2.3",
    "the loss 3 of us saw",
    "epoch: 1 step: 2, loss is 2.3.4",
    "epoch: 1 step: 2, loss is 2.3abc",
    "epoch: 1 step: 2, loss is 0x1p3",
    "epoch: 1 step: 2, loss is 2.3e",
    "epoch: 1 step: 2, loss is 12%",
    "epoch: 1 step: 2, loss is 12ms",
    "epoch: 1 step: 2, loss is +-2.3",
    "epoch: 1 step: 2, loss is --2.3",
    "epoch: 1 step: 2, loss is nanometre",
    "epoch: 1 step: 2, loss is infinite",
    "epoch: 1 step: 2, loss is 1e999999",
    "epoch: 1 step: 2, loss is 1,234.5",
    "epoch: 1 step: 2, loss is 1,234",
    "epoch: 1 step: 2, loss is -12,345,678.9",
    "epoch: 1 step: 2, loss is +123,456 now",
    "epoch: 1 step: 2, loss isn't 2.3",
    "epoch: 1 step: 2, lossis 2.3",
    "epoch: 1 step: 2, losses: 2.3",
    "epoch: 1 step: 2, loss_scale: 1024",
    "epoch: 1 step: 2, val_loss: 2.3",
    "epoch: 1 step: 2, closs: 2.3",
    "epoch: 1 step: 2, loss == 2.3",
    "epoch: 1 step: 2, lo\x1b[0mss 2.3ms",
    "Test set: Average loss: 0.0489, Accuracy: 9850/10000 (98%)",
    "Eval result: epoch 3, metrics: {'loss': 0.3, 'acc': 0.98}",
    "validation loss is 2.3",
    "loss is 2.3\rdone",
    "    loss = 0.5 * F.mse_loss(left, right, reduction='sum')",
    "    loss = 1.0 + penalty",
    "    loss = 1 - iou.mean()",
    "{'train_runtime': 274.4703, 'train_loss': 0.6967, 'epoch': 3.0}",
    "  train_loss               =     0.6967",
    "total_loss: 321.3",
    "8004: 0.5, 0.601931 avg time",
    "best_val_loss=0.3",
    "Epoch 2, global step 300: 'val_loss' reached 0.30412",
    "Average training loss: 0.5",
    "val/loss: 0.5",
};

/// Equal, nan being equal to nan.
inline bool same(const LossLine& left, LossLine right) {
  if (std::isnan(left.loss) && std::isnan(right.loss)) right.loss = 0;
  LossLine other = left;
  if (std::isnan(other.loss)) other.loss = 0;
  return other == right;
}

}  // namespace adarun::monitor
